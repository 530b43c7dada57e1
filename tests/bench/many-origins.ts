/** The plain HTTP origin of job `n`: one of the ports under a name that `tests/helpers/loopback-names.ts` resolves. */
export const manyOrigin = (n: number, ports: readonly number[]): string =>
  `http://o${n}.many.localhost:${ports[n % ports.length]}`;
