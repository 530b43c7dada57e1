"use client";

import { useSyncExternalStore } from "react";
import { FailureCard } from "#components/layout/failure-card.tsx";
import { MAIN_ID } from "#components/layout/skip-link.tsx";
import { Button, ButtonLink } from "#components/ui/button.tsx";

/** The error page, shown when a page throws. */
export default function Failed() {
  const requestId = useSyncExternalStore(
    () => () => {},
    () => document.documentElement.dataset.requestId,
    () => undefined,
  );
  return (
    <main id={MAIN_ID} className="grid min-h-dvh content-center justify-items-center px-4 py-12">
      <title>Not loaded · Stopwatch</title>
      <FailureCard
        title="This page did not load"
        requestId={requestId}
        heading="h1"
        actions={
          <>
            <Button kind="primary" onClick={() => location.reload()}>
              Try again
            </Button>
            <ButtonLink href="/">Start page</ButtonLink>
          </>
        }
      >
        <p>Something failed on our side. Deliveries are not affected by this page.</p>
      </FailureCard>
    </main>
  );
}
