/** A JSON object of an OpenAPI document. */
export type Part = { [key: string]: unknown };

/** An OpenAPI 3.1 document, as parsed JSON. */
export type Document = Part;

/** What a part refers to: itself unless it has a `$ref`. Throws for references to other documents. */
export function resolve(document: Document, part: unknown): Part {
  const reference = (part as Part | undefined)?.$ref;
  if (typeof reference !== "string") return (part ?? {}) as Part;
  if (!reference.startsWith("#/")) throw new Error(`${reference} is in another document`);
  const keys = decodeURIComponent(reference.slice(2)).split("/");
  const found = keys
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((at, key) => (at as Part | undefined)?.[key], document);
  if (found === undefined) throw new Error(`${reference} is not in the document`);
  return resolve(document, found);
}
