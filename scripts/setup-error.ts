/** Something around the program stands in its way: a taken port, a missing right, a damaged file. */
export class SetupError extends Error {
  override readonly name = "SetupError";
}
