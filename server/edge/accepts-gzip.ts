/** Whether an `Accept-Encoding` header allows gzip (RFC 9110, section 12.5.3): by name, or by `*` where it is not named. */
export function acceptsGzip(header: string | undefined): boolean {
  const weights = new Map<string, number>();
  for (const one of (header ?? "").toLowerCase().split(",")) {
    const [coding = "", ...parameters] = one.split(";").map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    weights.set(coding, weight === undefined ? 1 : Number(weight));
  }
  return (weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0) > 0;
}
