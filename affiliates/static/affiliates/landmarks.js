// Unfold draws no <main>: those who hear the page skip to it.
"use strict";

addEventListener("DOMContentLoaded", () => {
  document.getElementById("main")?.setAttribute("role", "main");
});

// Its scroller names alike every region that it makes: by the id of what scrolls.
const REGIONS = new Map([
  ["nav-sidebar-apps", "Menu"],
  ["changelist-form", "Rows"],
  ["changelist-filter", "Filters"],
]);

addEventListener("load", () => {
  document.querySelectorAll(".simplebar-content-wrapper").forEach((region, place) => {
    const name = REGIONS.get(region.closest("[id]")?.id) ?? `Table ${place}`;
    region.setAttribute("aria-label", name);
  });
});
