/**
 * Headers as languages print a map of them: `{ 'webhook-id': 'sch_…' }` (Node.js, Python), `{"Webhook-Id"=>"sch_…"}`
 * (Ruby), `map[Webhook-Id:[sch_…]]` (Go). `text` is in Latin-1.
 */
export function readPrintedHeaders(text: string): [name: string, value: string][] {
  const ofGo = text.trimStart().startsWith("map[");
  return [...text.matchAll(ofGo ? GO : QUOTED)].map((match) => {
    const { key = "", name = "", value = "" } = match.groups ?? {};
    return [key || name, ofGo ? value : value.replace(/\\(.)/g, "$1")];
  });
}

const GO = /(?<name>[\w-]+):\[(?<value>[^\]]*)\]/g;
const QUOTED =
  /(?:(?<quote>['"])(?<key>[\w-]+)\k<quote>|(?<name>[A-Za-z][\w-]*))\s*(?::|=>)\s*\[?\s*(?<mark>['"])(?<value>(?:(?!\k<mark>)[^\\]|\\.)*)\k<mark>/g;
