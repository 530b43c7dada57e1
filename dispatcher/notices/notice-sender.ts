import type { KeyObject } from "node:crypto";
import type { Logger } from "pino";
import { type Database, DatabaseUnavailable, type Sql } from "#db/client.ts";
import { readUnsubscribeKey } from "#db/queries/fleet/instance-secrets.ts";
import {
  claimNotice,
  dropNotice,
  giveUpNotice,
  type Notice,
  recordNoticeFailure,
  recordNoticeSent,
} from "#db/queries/notices/send.ts";
import type { KeyRing } from "#domain/cipher.ts";
import { isNoticeTooOld, noticeRetryAtMs } from "#domain/notice-retries.ts";
import { FLEET_SHARD } from "#domain/shard-share.ts";
import { unsubscribeToken } from "#domain/unsubscribe-token.ts";
import { deadSchedulesMail } from "#mail/dead-schedules-mail.ts";
import { type Mail, type Mailer, MailNotSent } from "#mail/mail.ts";
import { quotaMail } from "#mail/quota-mail.ts";
import { securityMail } from "#mail/security-mail.ts";

/** Longer than a try takes, including its record. */
const LEASE_MS = 60_000;
const DEADLINE_MS = 8_000;
/** Pause after an unexpected error, because the next try would probably fail in the same way, ms. */
const AGAIN_MS = 60_000;

type Deps = {
  database: Database;
  mailer: Mailer;
  keyRing: KeyRing;
  baseUrl: string;
  shards: { holds(shard: number): boolean };
  clock: { now(): number };
  log: Logger;
  metrics: { noticeSent(): void; noticeFailed(): void };
};

/**
 * Sends the notices that wait. Each try holds a lease and carries an idempotency key, by which the provider recognises
 * a repeated mail. A try that failed, or whose result is unknown, is repeated with the same key.
 */
export class NoticeSender {
  readonly #deps: Deps;
  #unsubscribeKey: KeyObject | undefined;
  /** No try before this instant, epoch ms: the provider asked to wait, or an unexpected error occurred. */
  #pausedUntilMs = 0;
  #isStopped = false;
  #isSending = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Starts no further try. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Whether a try is in flight. */
  isSending(): boolean {
    return this.#isSending;
  }

  /**
   * Tries to send the notice that has waited longest. Returns whether there was one. It sends one at a time, so that
   * many notices leave room at the provider for sign-in links. Throws only DatabaseUnavailable.
   */
  async runOnce(): Promise<boolean> {
    const { shards, clock, log } = this.#deps;
    if (this.#isStopped || !shards.holds(FLEET_SHARD) || clock.now() < this.#pausedUntilMs) return false;
    this.#isSending = true;
    try {
      const notice = await this.#run((sql) => claimNotice(sql, { nowMs: clock.now(), leaseMs: LEASE_MS }));
      if (notice) await this.#handle(notice);
      return notice !== undefined;
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      this.#pausedUntilMs = clock.now() + AGAIN_MS;
      log.error({ err: error }, "a notice could not be sent");
      return false;
    } finally {
      this.#isSending = false;
    }
  }

  async #handle(notice: Notice): Promise<void> {
    const { clock, log, mailer, baseUrl, metrics } = this.#deps;
    const { id, kind, attempts } = notice;
    if (!notice.isWanted) {
      // Keep a notice that the owner may have received, so that it is not created a second time.
      const isInDoubt = notice.inDoubtSinceMs !== null;
      await this.#run((sql) => (isInDoubt ? giveUpNotice(sql, notice, clock.now()) : dropNotice(sql, notice)));
      return;
    }
    if (isNoticeTooOld(notice, clock.now())) {
      log.error({ notice: id, kind, attempts }, "a notice was given up");
      await this.#run((sql) => giveUpNotice(sql, notice, clock.now()));
      return;
    }
    const mail = composeNotice(notice, { baseUrl, unsubscribeKey: await this.#key() });
    try {
      await mailer.send(mail);
    } catch (error) {
      if (!(error instanceof MailNotSent)) throw error;
      return this.#fail(notice, error);
    }
    metrics.noticeSent();
    await this.#run((sql) => recordNoticeSent(sql, notice, clock.now()));
  }

  async #fail(notice: Notice, error: MailNotSent): Promise<void> {
    const { clock, log, metrics } = this.#deps;
    const nowMs = clock.now();
    const { inDoubt, retryAfterMs = 0, message: cause } = error;
    const nextTryAtMs = noticeRetryAtMs({ attempts: notice.attempts, nowMs, retryAfterMs, random: Math.random });
    this.#pausedUntilMs = nowMs + retryAfterMs;
    metrics.noticeFailed();
    log.warn(
      { notice: notice.id, kind: notice.kind, attempts: notice.attempts, nextTryInMs: nextTryAtMs - nowMs, cause },
      "a notice was not sent",
    );
    await this.#run((sql) => recordNoticeFailure(sql, notice, { nextTryAtMs, inDoubt }));
  }

  async #key(): Promise<KeyObject> {
    this.#unsubscribeKey ??= await this.#run((sql) => readUnsubscribeKey(sql, this.#deps.keyRing));
    return this.#unsubscribeKey;
  }

  #run<R>(work: (sql: Sql) => Promise<R>): Promise<R> {
    return this.#deps.database.run(DEADLINE_MS, ({ sql }) => work(sql));
  }
}

/** The mail of a notice. Every try produces the same mail. */
function composeNotice(notice: Notice, at: { baseUrl: string; unsubscribeKey: KeyObject }): Mail {
  const { id, email: to, accountId } = notice;
  const { baseUrl, unsubscribeKey } = at;
  if (notice.kind === "security") return securityMail({ id, to, accountUrl: `${baseUrl}/account` }, notice.content);
  const token = unsubscribeToken(unsubscribeKey, accountId);
  const reader = {
    id,
    to,
    baseUrl,
    unsubscribeUrl: `${baseUrl}/unsubscribe?token=${token}`,
    oneClickUrl: `${baseUrl}/v1/notices/unsubscribe?token=${token}`,
  };
  return notice.kind === "dead" ? deadSchedulesMail(reader, notice.content) : quotaMail(reader, notice.content);
}
