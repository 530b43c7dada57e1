import * as apiKeys from "./api-keys.ts";
import * as billing from "./billing.ts";
import * as document from "./document.ts";
import type { Endpoint } from "./endpoint.ts";
import * as health from "./health.ts";
import * as listen from "./listen.ts";
import * as logs from "./logs.ts";
import * as me from "./me.ts";
import * as notices from "./notices.ts";
import * as operations from "./operations.ts";
import * as overview from "./overview.ts";
import * as recurrences from "./recurrences.ts";
import * as relaySettings from "./relay-settings.ts";
import * as schedules from "./schedules.ts";
import * as byKey from "./schedules-by-key.ts";
import * as security from "./security.ts";
import * as signIn from "./sign-in.ts";
import * as signingSecrets from "./signing-secrets.ts";

/** Every endpoint of the API, in the order of the document. */
export const ENDPOINTS: readonly Endpoint[] = [
  schedules.createSchedule,
  schedules.createSchedulesBulk,
  schedules.listSchedules,
  schedules.getSchedule,
  schedules.listAttempts,
  schedules.rescheduleSchedule,
  schedules.cancelSchedule,
  schedules.fireSchedule,
  schedules.replaySchedule,
  schedules.cloneSchedule,
  byKey.putScheduleByKey,
  byKey.getScheduleByKey,
  byKey.cancelScheduleByKey,
  recurrences.putRecurrence,
  recurrences.listRecurrences,
  recurrences.getRecurrence,
  recurrences.deleteRecurrence,
  recurrences.pauseRecurrence,
  recurrences.resumeRecurrence,
  operations.startOperation,
  operations.listOperations,
  operations.getOperation,
  operations.stopOperation,
  logs.listLogs,
  listen.listen,
  listen.answerDelivery,
  overview.getOverview,
  overview.getUsage,
  overview.getPunctuality,
  signingSecrets.getSigningSecrets,
  signingSecrets.rotateSigningSecrets,
  me.getProfile,
  me.updateProfile,
  me.deleteAccount,
  me.listSessions,
  me.endOtherSessions,
  security.listEvents,
  security.listIdentities,
  security.removeIdentities,
  security.removeIdentity,
  me.endSession,
  notices.openUnsubscribe,
  notices.unsubscribe,
  apiKeys.listApiKeys,
  apiKeys.createApiKey,
  apiKeys.rotateApiKey,
  apiKeys.revokeApiKey,
  relaySettings.getRelaySettings,
  relaySettings.updateRelaySettings,
  signIn.startMagicLink,
  signIn.verifyMagicLink,
  signIn.startOAuth,
  signIn.finishOAuth,
  signIn.logOut,
  billing.startCheckout,
  billing.openPortal,
  billing.receiveEvent,
  document.getDocument,
  health.getHealth,
  health.getReadiness,
  health.getMetrics,
];
