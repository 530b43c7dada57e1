/** The time of day of an instant, as verdicts name it: `09:00:00.001`. */
export const at = (epochMs: number): string => new Date(epochMs).toISOString().slice(11, 23);
