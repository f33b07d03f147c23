// Unfold draws no <main>: those who hear the page skip to it.
"use strict";

addEventListener("DOMContentLoaded", () => {
  document.getElementById("main")?.setAttribute("role", "main");
});
