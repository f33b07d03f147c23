/* The value of a chart's day in a box: at the pointer, or chosen by arrow keys. */
"use strict";

{
  const STEPS = {
    ArrowDown: -1,
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    End: Infinity,
    Home: -Infinity,
  };

  const prepareChart = (plot) => {
    const days = [...plot.querySelectorAll(".affiliates-chart-day")];
    const titles = days.map((day) => day.querySelector("title"));
    const last = days.length - 1;
    const box = document.createElement("p");
    let chosen = last;

    const hide = () => {
      box.hidden = true;
      days[chosen].classList.remove("is-chosen");
    };
    const choose = (place) => {
      hide();
      chosen = Math.min(Math.max(place, 0), last);
      box.textContent = titles[chosen].textContent;
      plot.ariaValueNow = chosen + 1;
      plot.ariaValueText = box.textContent.replaceAll("\n", ", ");
      const share = ((chosen + 0.5) / days.length) * 100;
      const isRight = share >= 50;
      box.style.left = isRight ? "" : `calc(${share}% + 0.75rem)`;
      box.style.right = isRight ? `calc(${100 - share}% + 0.75rem)` : "";
    };
    const show = (place) => {
      choose(place);
      box.hidden = false;
      days[chosen].classList.add("is-chosen");
    };
    const follow = (event) => {
      const { left, width } = plot.getBoundingClientRect();
      show(Math.floor(((event.clientX - left) / width) * days.length));
    };

    // A browser shows titles itself, after a second.
    titles.forEach((title) => title.remove());
    box.className = "affiliates-chart-box";
    plot.append(box);
    // Screen readers leave arrow keys to a slider, and read its text after each.
    plot.role = "slider";
    plot.ariaLabel = plot.closest("figure").ariaLabel;
    plot.tabIndex = 0;
    plot.ariaValueMin = 1;
    plot.ariaValueMax = days.length;
    choose(last);

    plot.addEventListener("pointerdown", follow);
    plot.addEventListener("pointermove", follow);
    // A finger that is lifted leaves too: its box stays until the focus goes.
    plot.addEventListener("pointerleave", ({ pointerType }) => {
      if (pointerType === "mouse") hide();
    });
    // The finger scrolls the page.
    plot.addEventListener("pointercancel", hide);
    plot.addEventListener("focus", () => show(chosen));
    plot.addEventListener("blur", hide);
    plot.addEventListener("keydown", (event) => {
      if (event.key === "Escape") hide();
      if (!(event.key in STEPS) || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      show(chosen + STEPS[event.key]);
    });
  };

  const prepareCharts = () => {
    document.querySelectorAll(".affiliates-chart-plot:not([role])").forEach(prepareChart);
  };

  prepareCharts();
  document.addEventListener("htmx:afterSettle", prepareCharts);
}
