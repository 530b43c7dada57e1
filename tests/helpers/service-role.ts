import { samplesOf } from "./doc-samples.ts";

/** The address of the role that the service has in tests, on the server of `url`. */
export function serviceUrlOf(url: string): string {
  return Object.assign(new URL(url), { username: SERVICE_ROLE, password: SERVICE_ROLE }).href;
}

/** The role that the service has in tests; its password is the same. */
export const SERVICE_ROLE = "stopwatch_service";

/** The statements of docs/own-database.md that give a role what the service needs, for this role. */
export function documentedGrants(role: string): string {
  const sample = samplesOf("own-database.md").find(({ code }) => code.startsWith("GRANT USAGE"));
  if (!sample) throw new Error("docs/own-database.md has no grants");
  return sample.code.replaceAll(SERVICE_ROLE, role);
}
