/** The tuned numbers that statements of several stages share. */
export const STATEMENTS = {
  /** How long a statement may take, ms. */
  deadlineMs: 3_000,
  /** The same for one that records outcomes, or reads what their error texts need, ms. */
  recordDeadlineMs: 5_000,
  /** The most rows that one statement claims, puts back, records, recovers or reads by id, or lanes that it reads. */
  rowsMax: 500,
  /**
   * A statement with fewer rows takes what a statement takes, one with more what its rows take.
   * Source: with 13 outcomes in a statement, one cost the database twice as much as in a full one.
   */
  fewRows: 50,
  /** How often everything is looked at from its beginning, though nothing should have been missed, ms. */
  fullEveryMs: 600_000,
} as const;
