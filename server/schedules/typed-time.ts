import type { TypedTime } from "#domain/chosen-time.ts";

/** The time in the fields of a form, or in the parameters of the address that its errors lead to. */
export function typedTimeOf(fields: { get(name: string): unknown }): TypedTime {
  const text = (name: string) => {
    const value = fields.get(name);
    return typeof value === "string" ? value.slice(0, TYPED_LENGTH_MAX).toWellFormed() : "";
  };
  return {
    ...{ words: text("words"), at: text("at"), zone: text("zone") || "UTC" },
    occurrence: text("occurrence") === "second" ? "second" : "first",
  };
}

const TYPED_LENGTH_MAX = 100;
