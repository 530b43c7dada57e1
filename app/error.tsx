"use client";

import { useSyncExternalStore } from "react";
import { BareFrame } from "#components/layout/bare-frame.tsx";
import { FailureCard } from "#components/layout/failure-card.tsx";
import { Button, ButtonLink } from "#components/ui/button.tsx";

/** The error page, shown when a page throws. */
export default function Failed() {
  const requestId = useSyncExternalStore(
    () => () => {},
    () => document.documentElement.dataset.requestId,
    () => undefined,
  );
  return (
    <>
      <title>Not loaded · Stopwatch</title>
      <BareFrame>
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
      </BareFrame>
    </>
  );
}
