// The Set methods of ES2025, which the types of this project do not have yet.

export function union<T>(a: Iterable<T>, b: Iterable<T>): Set<T> {
  return new Set([...a, ...b]);
}

export function intersection<T>(a: Iterable<T>, b: ReadonlySet<T>): Set<T> {
  return new Set([...a].filter((value) => b.has(value)));
}

/** The values of `a` that `b` does not have. */
export function difference<T>(a: Iterable<T>, b: { has(value: T): boolean }): T[] {
  return [...a].filter((value) => !b.has(value));
}
