/** The address of a server on this machine that listens on `host`, which may stand for all interfaces. */
export function localUrl(host: string, port: number, path: string): string {
  const reachable = { "0.0.0.0": "127.0.0.1", "::": "[::1]" }[host] ?? (host.includes(":") ? `[${host}]` : host);
  return `http://${reachable}:${port}${path}`;
}
