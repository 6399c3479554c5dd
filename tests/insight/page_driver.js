// Asks the page of page_test.py what a person would look at, and writes what does not hold to #outcome.
"use strict";
{
  const failures = [];
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const check = (holds, what) => holds || failures.push(what);
  const same = (found, wanted, what) => check(`${found}` === `${wanted}`, `${what}: ${found}, not ${wanted}`);
  const sourceRows = () => all(".pane.source tbody tr[data-place]");
  const lineOf = row => Number(row.querySelector(".number").textContent);
  const heading = title => all(".pane.source th button").find(button => button.textContent === title);
  const numbersOf = column => sourceRows().map(row => Number(row.cells[column].textContent.replaceAll(",", "")));
  const isSorted = (numbers, sign) => numbers.every((n, i) => i === 0 || sign * (numbers[i - 1] - n) >= 0);

  const test = () => {
    // What is drawn.
    same(all("#launches tbody tr").length, 2, "launches");
    same(all("#roofline circle").length, 2, "points in the roofline");
    check(all("#needs .need").length > 2, "needs are drawn");
    check(all("#advice .advice").length > 0, "there is advice");
    check(sourceRows().length >= 4, "lines are drawn");
    check(sourceRows().some(row => row.querySelector(".share .track")), "a line has a bar");
    check(all(".pane.source .over").length === 1, "the access that is far apart is marked");
    check(document.getElementById("signature").textContent.startsWith("scale("), "the first kernel is shown");

    // Text of the source is text.
    check(typeof executed === "undefined", "text of the source was executed");
    same(document.images.length, 0, "images");
    same(document.scripts.length, 4, "scripts: errors, data, page and driver");
    const hostile = sourceRows().find(row => lineOf(row) === 8).querySelector(".code").textContent;
    check(hostile.includes("# <\/script><script>executed") && hostile.endsWith("@DATA@"), `line 8 is ${hostile}`);

    // Sorting.
    const inOrder = sourceRows().map(lineOf);
    check(isSorted(inOrder, -1), "lines are in the order of the source");
    heading("warps").click();
    check(isSorted(numbersOf(1), 1) && numbersOf(1).length > 2, `most warps first: ${numbersOf(1)}`);
    heading("warps").click();
    check(isSorted(numbersOf(1), -1) && numbersOf(1).length > 2, `least warps first: ${numbersOf(1)}`);
    heading("warps").click();
    same(sourceRows().map(lineOf), inOrder, "lines, in the order of the source again");

    // What belongs together.
    const store = sourceRows().find(row => lineOf(row) === 9);
    store.dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
    check(all(".listing .hover").length > 2, "what belongs to a line lights up");
    store.dispatchEvent(new MouseEvent("mouseout", {bubbles: true}));
    same(all(".hover").length, 0, "lines that stay lit");
    store.click();
    same(new Set(all(".pinned").map(row => row.dataset.place)).size, 1, "places that are marked");
    const markedIn = pane => all(".pinned", pane).map(row => row.textContent).join("\n");
    const [ir, ptx, sass] = all(".pane.listing").map(markedIn);
    check(ir.includes("store"), `IR of the line: ${ir}`);
    check(ptx.includes("st.global"), `PTX of the line: ${ptx}`);
    check(sass === undefined || sass.includes("STG"), `SASS of the line: ${sass}`);
    const colourOf = row => getComputedStyle(row).backgroundColor;
    check(colourOf(store) !== "rgba(0, 0, 0, 0)", "lines are coloured");
    same(colourOf(store), colourOf(document.querySelector(".listing .pinned")), "a line's colour, and its code's");
    store.click();
    same(all(".pinned").length, 0, "marks after a second click");
    document.querySelector(".advice").click();
    check(all(".pinned").length > 0, "advice shows its line");

    // Panes come and go.
    all("#shown button")[0].click();
    check(document.querySelector(".pane.listing").hidden, "the IR is hidden");
    all("#shown button")[0].click();
    check(!document.querySelector(".pane.listing").hidden, "the IR is shown again");

    // The other kernel, with a function of the library.
    document.querySelector("#roofline circle:not(.chosen)").dispatchEvent(new MouseEvent("click"));
    check(document.getElementById("signature").textContent.startsWith("sums("), "a point chooses its kernel");
    check(sourceRows().some(row => row.textContent.includes("partial[t] = value")), "source of the library is shown");
    same(errors, "", "errors");
  };
  try {
    test();
  } catch (error) {
    failures.push(`${error}\n${error.stack}`);
  }
  const outcome = document.createElement("pre");
  outcome.id = "outcome";
  outcome.textContent = failures.concat(failures.length === 0 ? ["all hold"] : ["the page fails"]).join("\n");
  document.body.append(outcome);
}
