import { Counter, Gauge, type Registry } from "prom-client";

/** Registers the counter `stopwatch_<name>_total`. `read` is called at each scrape. */
export function addCounter(registry: Registry, name: string, help: string, read: () => number): void {
  new Counter({
    name: `stopwatch_${name}_total`,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

/** As `addCounter`, with one label: `counts` has its values as keys. */
export function addCounterBy(
  registry: Registry,
  name: string,
  help: string,
  { label, counts }: { label: string; counts: Readonly<Record<string, number>> },
): void {
  new Counter({
    name: `stopwatch_${name}_total`,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [value, n] of Object.entries(counts)) this.inc({ [label]: value }, n);
    },
  });
}

/** Registers the gauge `stopwatch_<name>`. `read` is called at each scrape. */
export function addGauge(registry: Registry, name: string, help: string, read: () => number): void {
  new Gauge({
    name: `stopwatch_${name}`,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}

/** As `addGauge`, with the label `kind`: `read` returns the value of each kind. */
export function addGaugeByKind(
  registry: Registry,
  name: string,
  help: string,
  read: () => readonly (readonly [kind: string, value: number])[],
): void {
  new Gauge({
    name: `stopwatch_${name}`,
    help,
    labelNames: ["kind"],
    registers: [registry],
    collect() {
      for (const [kind, value] of read()) this.set({ kind }, value);
    },
  });
}
