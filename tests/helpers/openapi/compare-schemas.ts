import { type Alternative, accepts, alternativesOf, LOWER_BOUNDS, type Schema, UPPER_BOUNDS } from "./alternatives.ts";
import type { Document } from "./resolve.ts";
import { difference, union } from "./sets.ts";

/** Two versions of a schema, each with the document that its references lead into. */
export type Versions = { released: Document; current: Document };

/**
 * Who makes the values: a caller, whose values must still be accepted, or the service, whose values a caller must still
 * understand.
 */
export type Direction = "request" | "response";

/**
 * What a caller of the released version would notice, each as "place: what". In a request that is whatever is refused
 * now; in a response whatever is missing now or has a type or a range that the released schema excludes. Further
 * properties and, for texts, further values of an `enum` are allowed in responses.
 */
export function compareSchemas(
  versions: Versions,
  direction: Direction,
  place: string,
  released: Schema,
  current: Schema,
): string[] {
  return new Comparison(versions, direction).compare(place, released, current);
}

class Comparison {
  readonly #versions: Versions;
  readonly #isRequest: boolean;
  /** The pairs under way, so that a schema that contains itself ends. */
  readonly #open = new Set<string>();

  constructor(versions: Versions, direction: Direction) {
    this.#versions = versions;
    this.#isRequest = direction === "request";
  }

  compare(place: string, released: Schema, current: Schema): string[] {
    const pair = JSON.stringify([released, current]);
    if (this.#open.has(pair)) return [];
    this.#open.add(pair);
    const before = alternativesOf(this.#versions.released, released);
    const now = alternativesOf(this.#versions.current, current);
    const found = this.#isRequest ? this.#request(place, before, now) : this.#response(place, before, now);
    this.#open.delete(pair);
    return [...new Set(found)];
  }

  #request(place: string, before: Alternative[], now: Alternative[]): string[] {
    return before.flatMap((old) => {
      const candidates = now.filter(({ type }) => accepts(type, old.type));
      return this.#closest(candidates, (one) => this.#pair(place, old, one), `${place}: ${named(old)} is refused now`);
    });
  }

  #response(place: string, before: Alternative[], now: Alternative[]): string[] {
    const added = now.flatMap((one) => {
      const candidates = before.filter(({ type }) => accepts(type, one.type));
      return this.#closest(candidates, (old) => this.#pair(place, old, one), `${place}: can be ${named(one)} now`);
    });
    const kept = before.flatMap((old) => {
      if (old.type === "null") return [];
      const candidates = now.filter(({ type }) => accepts(old.type, type));
      return this.#closest(candidates, (one) => this.#pair(place, old, one), `${place}: is never ${named(old)} now`);
    });
    return [...added, ...kept];
  }

  #closest(candidates: Alternative[], compare: (one: Alternative) => string[], none: string): string[] {
    const results = candidates.map(compare).sort((a, b) => a.length - b.length);
    return results[0] ?? [none];
  }

  #pair(place: string, old: Alternative, now: Alternative): string[] {
    return [
      ...this.#values(place, old, now),
      ...this.#bounds(place, old, now),
      ...this.#conditions(place, old, now),
      ...(old.type === "array" ? this.compare(`${place}[]`, old.items, now.items) : []),
      ...this.#properties(place, old, now),
      ...this.#presence(place, old, now),
      ...this.#additional(place, old, now),
    ];
  }

  #values(place: string, old: Alternative, now: Alternative): string[] {
    if (this.#isRequest) {
      if (now.values === undefined) return [];
      if (old.values === undefined) return [`${place}: accepts only ${[...now.values].join(", ")} now`];
      return difference(old.values, now.values).map((value) => `${place}: ${value} is refused now`);
    }
    if (old.values === undefined) return [];
    if (now.values === undefined)
      return [`${place}: can be any ${now.type} now, not only ${[...old.values].join(", ")}`];
    const added = old.type === "string" ? [] : difference(now.values, old.values);
    const removed = difference(old.values, now.values);
    return [
      ...added.map((value) => `${place}: can be ${value} now`),
      ...removed.map((value) => `${place}: is never ${value} now`),
    ];
  }

  #bounds(place: string, old: Alternative, now: Alternative): string[] {
    return [...UPPER_BOUNDS, ...LOWER_BOUNDS].flatMap((keyword) => {
      const [before, after] = [boundOf(old, keyword), boundOf(now, keyword)];
      const isTighter = UPPER_BOUNDS.includes(keyword) ? after < before : after > before;
      if (before === after || isTighter !== this.#isRequest) return [];
      return [`${place}: ${keyword} is ${shown(now, keyword)} instead of ${shown(old, keyword)}`];
    });
  }

  #conditions(place: string, old: Alternative, now: Alternative): string[] {
    if (this.#isRequest) {
      const added = difference(now.conditions, old.conditions)
        .filter((one) => !isPatternOfAll(one, old.values))
        .map((one) => `${place}: new condition: ${one}`);
      const isSame = old.default === undefined || JSON.stringify(old.default) === JSON.stringify(now.default);
      return isSame
        ? added
        : [...added, `${place}: default is ${JSON.stringify(now.default)} instead of ${JSON.stringify(old.default)}`];
    }
    return difference(old.conditions, now.conditions).map((one) => `${place}: no longer holds: ${one}`);
  }

  #properties(place: string, old: Alternative, now: Alternative): string[] {
    const refused = this.#isRequest ? difference(now.forbidden, old.properties) : [];
    const names = refused.filter((name) => isPossible(old, name)).map((name) => `${place}.${name}: is refused now`);
    const found = [...old.properties].flatMap(([name, schema]) => {
      if (schema === false || old.forbidden.has(name)) return [];
      const at = `${place}.${name}`;
      if (this.#isRequest && now.forbidden.has(name)) return [`${at}: is refused now`];
      const found = now.properties.get(name) ?? (typeof now.additional === "object" ? now.additional : false);
      return found === false ? [`${at}: is removed`] : this.compare(at, schema, found);
    });
    return [...names, ...found];
  }

  #presence(place: string, old: Alternative, now: Alternative): string[] {
    if (!this.#isRequest) {
      return [
        ...difference(old.required, now.required)
          // One that is removed is named once.
          .filter((name) => now.properties.has(name) || !old.properties.has(name))
          .map((name) => `${place}.${name}: can be absent now`),
        ...neededAlone(old, now).map(([name, need]) => `${place}.${need}: can be absent beside ${name} now`),
      ];
    }
    return [
      ...difference(now.required, old.required).map((name) => `${place}.${name}: is required now`),
      ...neededAlone(now, old)
        .filter(([name]) => isPossible(old, name))
        .map(([name, need]) => `${place}.${need}: is required beside ${name} now`),
    ];
  }

  #additional(place: string, old: Alternative, now: Alternative): string[] {
    const at = `${place}.*`;
    const isMap = typeof old.additional === "object";
    const added = [...now.properties].filter(([name, schema]) => !old.properties.has(name) && schema !== false);
    const named = isMap ? added.flatMap(([name, one]) => this.compare(`${place}.${name}`, old.additional, one)) : [];
    if (isMap && typeof now.additional === "object")
      return [...named, ...this.compare(at, old.additional, now.additional)];
    if (this.#isRequest) {
      const isRefused = old.additional !== false && now.additional !== true;
      return isRefused ? [...named, `${at}: other properties are refused now`] : named;
    }
    return isMap ? [...named, `${at}: other properties are not described now`] : named;
  }
}

/** The needs in `dependentRequired` of `a` that `b` does not have, as pairs of a property and what it needs. */
function neededAlone(a: Alternative, b: Alternative): [string, string][] {
  return [...a.dependent].flatMap(([name, needs]) =>
    difference(needs, union(b.dependent.get(name) ?? [], b.required)).map((need): [string, string] => [name, need]),
  );
}

function isPossible(alternative: Alternative, name: string): boolean {
  if (alternative.forbidden.has(name)) return false;
  return (alternative.properties.get(name) ?? alternative.additional) !== false;
}

function boundOf({ bounds }: Alternative, keyword: string): number {
  const none = UPPER_BOUNDS.includes(keyword) ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  return bounds.get(keyword) ?? (/^min[LIP]/.test(keyword) ? 0 : none);
}

function shown({ bounds }: Alternative, keyword: string): string {
  return String(bounds.get(keyword) ?? "absent");
}

function named({ type, values }: Alternative): string {
  if (type === "any") return "anything";
  return values && type !== "boolean" ? [...values].join(" or ") : type;
}

/** Whether a condition is a pattern that each of the values fulfils, by their JSON. */
function isPatternOfAll(condition: string, values: Set<string> | undefined): boolean {
  if (values === undefined || !condition.startsWith("pattern ")) return false;
  const pattern = new RegExp(JSON.parse(condition.slice("pattern ".length)));
  return [...values]
    .map((value) => JSON.parse(value))
    .every((value) => typeof value !== "string" || pattern.test(value));
}
