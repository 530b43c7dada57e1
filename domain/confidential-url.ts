/** Whether a host, as in a URL or as an address to listen on, is only this machine. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, "$1");
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    name === "::1" ||
    // Every part in range, so that it is an address and not a name.
    /^127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(name)
  );
}

/** Whether nobody on the network can read what is sent to this http or https URL: https, or http to this machine. */
export function isConfidentialUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || (protocol === "http:" && isLoopbackHost(hostname));
}
