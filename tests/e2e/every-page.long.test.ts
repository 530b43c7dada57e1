// Guards: app/(dashboard)/**, app/*, components/**, tests/pages/**
import { routesOfApp } from "#tests/pages/routes.ts";
import { testEveryState } from "./every-state.ts";

testEveryState(routesOfApp("dashboard"));
