import type { ChosenTime } from "#domain/chosen-time.ts";

/** Why a schedule was not moved, by the code in the page's URL, and the field with the error; null without a code. */
export function rescheduleProblem(
  error: string | undefined,
  chosen: ChosenTime,
  isInWords: boolean,
): { field?: "words" | "at" | "zone"; message: string } | null {
  if (error === undefined) return null;
  if (!chosen.ok) return { field: chosen.field, message: chosen.message };
  if (error === "past") return { field: isInWords ? "words" : "at", message: "This has passed. Name a later instant." };
  if (error === "UNAVAILABLE") return { message: "The database could not do this now. Try again." };
  if (error === "UNAUTHORIZED") return { message: "You were signed out. Press again." };
  return { message: "Its status changed meanwhile. Try again." };
}
