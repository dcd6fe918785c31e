// The clock of rounds with a time limit. It starts when the player presses Start, and a page has the
// moment in its address. No page is needed.
"use strict";

const LATE_SECONDS = 5;
const MS_PER_SECOND = 1_000;

// Add the clock to a round: `limit` in seconds, 0 for none; `began` in seconds since 1970, or null.
const withClock = (round, limit, began = null) => Object.assign(round, { limit, began });

// A round that waits does not show its numbers yet.
const isWaiting = ({ limit, began, ending }) => limit > 0 && began === null && !ending;
const isRunning = ({ limit, began, ending }) => limit > 0 && began !== null && !ending;

const startClock = (round, now = Date.now()) => {
  round.began = Math.round(now / (MS_PER_SECOND / 10)) / 10;
};

// Seconds left, rounded up; 0 if the time is over.
function secondsLeft({ limit, began }, now = Date.now()) {
  return Math.max(0, Math.min(limit, Math.ceil(limit + began - now / MS_PER_SECOND)));
}

const secondsOf = ({ limit, began }, now = Date.now()) =>
  (limit && began !== null ? Math.min(limit, Math.max(0, now / MS_PER_SECOND - began)) : 0);

// A time such as 1:05, as crisps24/output writes it.
const formatTime = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds) % 60).padStart(2, "0")}`;

// End a round whose time is over. A text in the field still counts as an answer, and then the best
// attempt does.
function endByTime(round, text) {
  enterText(round, text);
  if (round.ending) return;
  const { mark, attempt } = round;
  const points = attempt ? pointsOf(round, attempt.value) : 0;
  endRound(round, points ? "closest" : "over", points ? attempt.value : null, points ? attempt.text : "", true);
  round.mark = mark;
}
