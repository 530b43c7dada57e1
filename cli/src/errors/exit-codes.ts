/** How a command ended. Shells and scripts depend on these numbers. */
export const EXIT = {
  done: 0,
  /** Done, but not as wished: some rows were rejected, or a check found something. */
  partly: 1,
  usage: 2,
  unauthorised: 3,
  /** Not found, or in a state that does not allow it. */
  state: 4,
  /** Unreachable, busy, or over a limit. */
  unavailable: 5,
  interrupted: 130,
} as const;
