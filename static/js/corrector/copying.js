/** Copying from the answer: the true text and nothing that was only drawn, whatever blocks and chips lie in between. */

/** The text of what is selected of the answer. @param {Range} range @returns {string} */
export function trueText(range) {
  const part = range.cloneContents();
  for (const drawn of part.querySelectorAll(".turn-head")) drawn.remove();
  return part.textContent ?? "";
}

/** Copy the true text where the whole selection lies in the answer; anything else is the browser's to copy.
 * @param {HTMLElement} text where the tokens stand */
export function copyTrueText(text) {
  text.addEventListener("copy", (event) => {
    const selection = document.getSelection();
    const range = selection?.rangeCount ? selection.getRangeAt(0) : null;
    if (!range || range.collapsed || !event.clipboardData || !text.contains(range.commonAncestorContainer)) return;
    event.clipboardData.setData("text/plain", trueText(range));
    event.preventDefault();
  });
}
