/**
 * The id (`sch_…`) of a schedule in a text that somebody pasted: the id with or without its prefix, in any letter case, alone or
 * within other text such as the address of its page. Null when there is none.
 */
export function pastedScheduleId(text: string): string | null {
  const digits = /(?<![\w-])(?:sch_)?([0-7][0-9a-hjkmnp-tv-z]{25})(?![\w-])/i.exec(text)?.[1];
  return digits === undefined ? null : `sch_${digits.toLowerCase()}`;
}
