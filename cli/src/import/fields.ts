import { didYouMean } from "../../../domain/did-you-mean.ts";
import { FIELDS, type Field } from "./find-problems.ts";

/** The delivery options that a column can hold, as the API names them. A test compares them with the contract. */
export const DELIVERY_OPTIONS = ["timeoutMs", "retryDelaysMs", "giveUpStatuses", "expiresAt", "expiresIn"] as const;

/** What a column or a property of the input holds: a field, one header of the request, one delivery option, or nothing that is sent. */
export type Column = { field: Field } | { header: string } | { option: (typeof DELIVERY_OPTIONS)[number] } | "ignored";

/** What a name is of, by `--map` and by the API's names; undefined when it is unknown. */
export function findColumn(name: string, map: ReadonlyMap<string, string>): Column | undefined {
  const known = map.get(name) ?? name;
  if (known === "" && map.has(name)) return "ignored";
  if (known.startsWith(HEADER_PREFIX) && known !== HEADER_PREFIX) return { header: known.slice(HEADER_PREFIX.length) };
  const option = DELIVERY_OPTIONS.find((one) => known === `delivery.${one}`);
  if (option) return { option };
  const field = FIELDS.find((one) => one === known);
  return field && { field };
}

/** The message for an unknown name. */
export function describeUnknown(kind: "column" | "field", name: string): string {
  const probable = didYouMean(name, [...FIELDS, ...DELIVERY_OPTIONS.map((option) => `delivery.${option}`)]);
  const advice = probable
    ? `did you mean ${probable}?`
    : `the ${kind}s are ${FIELDS.join(", ")}, headers.<name> and delivery.<option>.`;
  return `the ${kind} "${name}" is unknown: ${advice} To take it for another, or to leave it out: ${mapExample(name, probable)}`;
}

function mapExample(name: string, probable = "targetUrl"): string {
  return `--map "${name}=${probable}", --map "${name}="`;
}

const HEADER_PREFIX = "headers.";
