/**
 * Where a shown answer has not the shape of a real one: a field that the real one has not, or a value of another type.
 * null stands for any type, and a list has the shape of its first item.
 */
export function differences(shown: unknown, real: unknown, path = ""): string[] {
  if (shown === null || real === null) return [];
  if (Array.isArray(shown) || Array.isArray(real)) {
    if (!Array.isArray(shown) || !Array.isArray(real)) return [`${path} is ${kindOf(real)}`];
    if (shown.length === 0 || real.length === 0) return [];
    return shown.flatMap((item, at) => differences(item, real[Math.min(at, real.length - 1)], `${path}[${at}]`));
  }
  if (kindOf(shown) !== kindOf(real)) return [`${path} is ${kindOf(real)}`];
  if (typeof shown !== "object" || typeof real !== "object") return [];
  return Object.entries(shown).flatMap(([name, value]) =>
    name in real
      ? differences(value, real[name as keyof typeof real], `${path}.${name}`)
      : [`${path}.${name} is not in the answer`],
  );
}

const kindOf = (value: unknown) => (Array.isArray(value) ? "a list" : typeof value);
