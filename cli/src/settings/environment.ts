/** The environment of the process. Nothing else reads it. */
export function environment(): Readonly<Record<string, string | undefined>> {
  // biome-ignore lint/style/noProcessEnv: this is the one reader
  return process.env;
}
