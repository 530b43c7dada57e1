// Guards: pages/**, app/(public)/**, app/*, components/docs/**, components/landing/**, components/trial/**, components/status/**, components/sign-in/**, components/notices/**, components/charts/**, components/layout/**, components/ui/**, components/format/**, components/*.css, tests/pages/**, docs/*.md, server/docs/**, contract/**, server/reference/**
import { routesOfApp } from "#tests/pages/routes.ts";
import { testEveryState } from "./every-state.ts";

testEveryState(routesOfApp("public"));
