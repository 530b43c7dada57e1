import { PublicFrame } from "#components/layout/public-frame.tsx";
import { chosenTheme } from "../../page-request.ts";
import { EmptyAccountParts } from "./account-parts.tsx";
import { AttemptParts } from "./attempt-parts.tsx";
import { ControlParts } from "./control-parts.tsx";
import { DataParts } from "./data-parts.tsx";
import { FigureParts } from "./figure-parts.tsx";
import { OverlayParts } from "./overlay-parts.tsx";
import { PlaceParts } from "./place-parts.tsx";
import { ScheduleParts } from "./schedule-parts.tsx";
import { SettingsParts } from "./settings-parts.tsx";
import { SignInParts } from "./sign-in-parts.tsx";

export const metadata = { title: "Parts", robots: { index: false } };

/** Every part of the interface in every state. Not in production builds. */
export default async function Parts() {
  const theme = await chosenTheme();
  return (
    <PublicFrame theme={theme}>
      <h1 className="py-6 text-2xl">Parts</h1>
      <div className="grid grid-cols-1 gap-10">
        <ControlParts />
        <OverlayParts />
        <AttemptParts />
        <DataParts />
        <ScheduleParts />
        <FigureParts />
        <SettingsParts />
        <SignInParts />
        <PlaceParts />
        <EmptyAccountParts />
      </div>
    </PublicFrame>
  );
}
