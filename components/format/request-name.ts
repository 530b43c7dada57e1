/** How long a name gets, characters. */
const NAME_MAX = 200;

/**
 * What a request is called in headings: its method and URL without the scheme, cut to 200 characters:
 * `POST api.example.com/jobs/settle?batch=4`.
 */
export function requestName(method: string, url: string): string {
  const name = `${method} ${url.replace(/^https?:\/\//i, "").replace(/\/$/, "")}`;
  return name.length > NAME_MAX ? `${name.slice(0, NAME_MAX)}…` : name;
}

/** The same without the query, which browsers would keep in their history when it is part of a document's title. */
export function requestNameInHistory(method: string, url: string): string {
  return requestName(method, url.replace(/[?#].*$/, ""));
}
