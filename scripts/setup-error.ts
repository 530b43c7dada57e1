/** The program cannot run in this environment: a port is taken, a permission is missing, a file is damaged. */
export class SetupError extends Error {
  override readonly name = "SetupError";
}
