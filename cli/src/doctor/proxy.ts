type Variables = Readonly<Record<string, string | undefined>>;

/** A proxy that the environment names: its variable, and its origin without credentials. */
export type Proxy = { variable: string; origin: string; isUsed: boolean };

/**
 * The proxy that the environment names for an address; undefined when there is none, or NO_PROXY leaves the host out.
 * Node.js uses it only where NODE_USE_ENV_PROXY is 1.
 */
export function findProxy(url: URL, variables: Variables): Proxy | undefined {
  const names = url.protocol === "https:" ? ["HTTPS_PROXY", "https_proxy"] : ["HTTP_PROXY", "http_proxy"];
  const variable = [...names, "ALL_PROXY", "all_proxy"].find((name) => variables[name]);
  if (variable === undefined || isLeftOut(url.hostname, variables.NO_PROXY ?? variables.no_proxy ?? ""))
    return undefined;
  const value = variables[variable] as string;
  const text = value.includes("://") ? value : `http://${value}`;
  const origin = URL.canParse(text) ? new URL(text).host : "an address that is malformed";
  return { variable, origin, isUsed: variables.NODE_USE_ENV_PROXY === "1" };
}

function isLeftOut(hostname: string, noProxy: string): boolean {
  return noProxy.split(/[\s,]+/).some((entry) => {
    const name = entry.replace(/^\*?\./, "").replace(/:\d+$/, "");
    return name === "*" || (name !== "" && (hostname === name || hostname.endsWith(`.${name}`)));
  });
}
