export { deletedSchedules, relaySettings, signingSecrets, usage } from "./account-settings.ts";
export { accounts, apiKeys, sessions } from "./accounts.ts";
export { accountCounts, attempts, shardPunctuality } from "./attempts.ts";
export { dispatchers, instanceSecrets, shards } from "./fleet.ts";
export { lanes } from "./lanes.ts";
export { deadSchedules, deathGroups, notices } from "./notices.ts";
export { requestCounts } from "./request-counts.ts";
export { scheduleRequests, schedules } from "./schedules.ts";
export { identities, signInRequests, signInTokens } from "./sign-in.ts";
