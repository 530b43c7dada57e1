/**
 * An error that `instanceof` recognises by the names of its classes. Next.js loads a module several times in a process, for
 * routes, pages and instrumentation, and these copies share services: one throws what another catches.
 */
export class NamedError extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (!(value instanceof Error)) return false;
    for (let prototype = Object.getPrototypeOf(value); prototype; prototype = Object.getPrototypeOf(prototype)) {
      // biome-ignore lint/complexity/noThisInStatic: each subclass inherits this method
      if (prototype.constructor.name === this.name) return true;
    }
    return false;
  }
}
