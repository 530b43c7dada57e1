import type { IncomingMessage, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { isLoadedAhead } from "#domain/load-ahead.ts";
import { isCountedRoute } from "../http/counted-routes.ts";
import { isApiTarget, isHealthTarget, isPageTarget } from "../http/normalise-request.ts";
import type { Logger } from "../log.ts";
import type { AddressSettings } from "./caller-of-socket.ts";
import { CountedLine } from "./counted-line.ts";
import { LoopShare } from "./loop-share.ts";
import { RequestBudget } from "./request-budget.ts";
import { sendTooMany } from "./too-many.ts";
import { Turns, type Waiting } from "./turns.ts";
import { readVisitor } from "./visitor.ts";

/**
 * Per network, and per account whose credential was accepted. The burst is larger than `REJECTIONS_MAX`, so that refused credentials meet their
 * own limit first, and so that people behind one address can open their pages at once.
 */
const BUDGET = { burst: 1_000, perMinute: 600 };

/** The same for pages that are loaded ahead: they use up none of the budget above, and are no way round it. */
const BUDGET_AHEAD = { burst: 60, perMinute: 60 };

/** A page has a dozen static files. */
const STATIC_COST = 0.1;

/** Delay of an answer of 429, ms, so that a caller who retries at once costs little CPU time. */
const HELD_MS = 1_000;
const HELD_MAX = 1_000;

/** Time until the retry of a request that was refused because too many are waiting, ms. */
const CROWDED_MS = 1_000;

/**
 * The gate in front of everything but API calls with an accepted credential: those are counted by their account, and pass.
 * All others are bounded here, in memory, without the database:
 *
 * - Each network has a budget of requests, and so has each account whose credential was accepted, for what no account counts,
 *   such as the documentation. Above it the answer is 429. Pages of an account are counted by it, and cost no budget.
 * - The rest takes turns (`Turns`) and begins only while the event loop is idle for half of the time (`LoopShare`).
 *
 * Health checks take turns and are never refused.
 */
export class Gate {
  readonly #settings: AddressSettings;
  readonly #budget = new RequestBudget(BUDGET);
  readonly #budgetAhead = new RequestBudget(BUDGET_AHEAD);
  readonly #turns = new Turns(new LoopShare((since) => performance.eventLoopUtilization(since)));
  readonly #refused: CountedLine;
  readonly #onCrowdedOut = new WeakMap<Waiting, () => void>();
  #held = 0;

  constructor(settings: AddressSettings, log: Logger) {
    this.#settings = settings;
    this.#refused = new CountedLine((count) => log.warn({ count }, "requests refused by the gate with 429"));
  }

  /** Calls `proceed` now or when it is the request's turn, or answers with 429. */
  enter(request: IncomingMessage, response: ServerResponse, proceed: () => void): void {
    const { method = "", url = "" } = request;
    const visitor = readVisitor(request, this.#settings);
    const isCounted = visitor.isAccepted && isCountedRoute(method, url);
    if (isCounted && isApiTarget(url)) {
      proceed();
      return;
    }
    const isHealth = isHealthTarget(url);
    const cost = isStatic(url) ? STATIC_COST : 1;
    const waitMs = isHealth || isCounted ? 0 : this.#budgetOf(request).take(visitor.budget, performance.now(), cost);
    if (waitMs > 0) {
      this.#refuse(request, response, waitMs);
      return;
    }
    const waiting: Waiting = {
      work: isStatic(url) || !isPageTarget(url) ? "light" : "page",
      begin: () => {
        response.off("close", leave);
        proceed();
      },
      mayPass: () => isApiTarget(url) && isCountedRoute(method, url) && readVisitor(request, this.#settings).isAccepted,
    };
    const turn = isHealth ? { ...visitor, party: `health check of ${visitor.party}` } : visitor;
    const leave = () => this.#turns.leave(turn, waiting);
    response.once("close", leave);
    this.#onCrowdedOut.set(waiting, () => {
      response.off("close", leave);
      if (isHealth) request.socket.destroy();
      else this.#refuse(request, response, CROWDED_MS);
    });
    const crowdedOut = this.#turns.take(turn, waiting);
    if (crowdedOut !== undefined) this.#onCrowdedOut.get(crowdedOut)?.();
  }

  #budgetOf({ headers }: IncomingMessage): RequestBudget {
    return isLoadedAhead(headers["sec-purpose"]?.toString()) ? this.#budgetAhead : this.#budget;
  }

  #refuse(request: IncomingMessage, response: ServerResponse, waitMs: number): void {
    this.#refused.add();
    if (this.#held >= HELD_MAX) {
      sendTooMany(request, response, waitMs);
      return;
    }
    this.#held++;
    const timer = setTimeout(() => sendTooMany(request, response, waitMs), HELD_MS);
    response.once("close", () => {
      clearTimeout(timer);
      this.#held--;
    });
  }
}

const isStatic = (target: string) => target.startsWith("/_next/static/");
