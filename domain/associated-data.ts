import type { Environment } from "./environment.ts";

/** What a sealed request belongs to: the schedule (UUID), its account (UUID) and environment, and where it is sent. */
export type Destination = { accountId: string; env: Environment; id: string; method: string; targetUrl: string };

/**
 * Associated data of a sealed request. It decrypts only for the same account, environment, schedule, method and target, so
 * that write access to the database is not enough to redirect a payload, or to have another account's secret sign it. Only
 * the last part, the target, can contain a colon.
 */
export const requestAad = ({ accountId, env, id, method, targetUrl }: Destination) =>
  `request:${accountId}:${env}:${id}:${method}:${targetUrl}`;

/** Associated data of a signing secret: its account (UUID) and environment. */
export const secretAad = (accountId: string, env: Environment) => `signing-secret:${accountId}:${env}`;

/** Associated data of the stored answer to a rotation of signing secrets: account (UUID) and environment. */
export const rotationAad = (accountId: string, env: Environment) => `secret-rotation:${accountId}:${env}`;

/** What the request and the answer of an exchange with a listener belong to: exchange and schedule (UUIDs), and target. */
export type ExchangeIdentity = { id: string; scheduleId: string; targetUrl: string };

/** Associated data of the request of an exchange. Only the last part, the target, can contain a colon. */
export const exchangeRequestAad = ({ id, scheduleId, targetUrl }: ExchangeIdentity) =>
  `listen-request:${id}:${scheduleId}:${targetUrl}`;

/** Associated data of the answer of an exchange. */
export const exchangeAnswerAad = ({ id, scheduleId, targetUrl }: ExchangeIdentity) =>
  `listen-answer:${id}:${scheduleId}:${targetUrl}`;

/** Associated data of a secret of the installation. */
export const instanceAad = (name: string) => `instance:${name}`;

/** Associated data of a value that a page keeps in a form or a cookie: its purpose, and the session (UUID) it is for. */
export const pageValueAad = (purpose: string, sessionId: string) => `page-value:${purpose}:${sessionId}`;
