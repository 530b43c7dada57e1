import type { KeyObject } from "node:crypto";
import type { Notice } from "#db/queries/notices/send.ts";
import { unsubscribeToken } from "#domain/unsubscribe-token.ts";
import { deadSchedulesMail } from "#mail/dead-schedules-mail.ts";
import type { Mail } from "#mail/mail.ts";
import { quotaMail } from "#mail/quota-mail.ts";
import { securityMail } from "#mail/security-mail.ts";

/** The mail of a notice. Every try produces the same mail. */
export function composeNotice(notice: Notice, at: { baseUrl: string; unsubscribeKey: KeyObject }): Mail {
  const { id, email: to, accountId } = notice;
  const { baseUrl, unsubscribeKey } = at;
  if (notice.kind === "security") return securityMail({ id, to, accountUrl: `${baseUrl}/account` }, notice.content);
  const token = unsubscribeToken(unsubscribeKey, accountId);
  const reader = {
    ...{ id, to, baseUrl },
    unsubscribeUrl: `${baseUrl}/unsubscribe?token=${token}`,
    oneClickUrl: `${baseUrl}/v1/notices/unsubscribe?token=${token}`,
  };
  return notice.kind === "dead" ? deadSchedulesMail(reader, notice.content) : quotaMail(reader, notice.content);
}
