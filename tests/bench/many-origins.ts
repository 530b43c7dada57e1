/** The origin of job `n`, of plain HTTP: a name that `tests/helpers/loopback-names.ts` resolves, at one of the ports. */
export const manyOrigin = (n: number, ports: readonly number[]): string =>
  `http://o${n}.many.localhost:${ports[n % ports.length]}`;
