/** The address of the role that the service has in tests, on the server of `url`. */
export function serviceUrlOf(url: string): string {
  return Object.assign(new URL(url), { username: SERVICE_ROLE, password: SERVICE_ROLE }).href;
}

/** The role that the service has in tests; its password is the same. */
export const SERVICE_ROLE = "stopwatch_service";
