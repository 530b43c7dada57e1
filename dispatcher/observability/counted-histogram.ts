/**
 * A histogram for the sending path: observing a value is a search in a short array and two additions. A registry of
 * prom-client reads it through `get` when it is scraped. `bounds` are the upper bounds of the buckets, ascending,
 * without infinity.
 */
export function createCountedHistogram(name: string, help: string, bounds: readonly number[]) {
  const counts = new Float64Array(bounds.length + 1);
  let sum = 0;
  return {
    name,

    observe(value: number): void {
      let low = 0;
      let high = bounds.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (value <= (bounds[middle] as number)) high = middle;
        else low = middle + 1;
      }
      counts[low] = (counts[low] as number) + 1;
      sum += value;
    },

    /** The buckets in prom-client's form. Each one includes all below it. */
    async get() {
      let upTo = 0;
      const buckets = Array.from(counts, (n, at) => {
        upTo += n;
        return { metricName: `${name}_bucket`, labels: { le: bounds[at] ?? "+Inf" }, value: upTo };
      });
      const totals = [
        { metricName: `${name}_sum`, labels: {}, value: sum },
        { metricName: `${name}_count`, labels: {}, value: upTo },
      ];
      return { name, help, type: "histogram", aggregator: "sum", values: [...buckets, ...totals] };
    },
  };
}
