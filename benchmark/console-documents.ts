/**
 * What the console is held against in the browser: documents that do nothing but show values, from the same texts, as
 * often as the console draws. And the feed of both: texts handed to the socket of the page, one task for each.
 */

const MEASURES = 5_000;
/** What the console has in the document of a table of any length. */
const ROWS = 40;
const DRAWN_MS = 200;

/** A platform with that many measures, as the service gives its catalogue. */
export const CATALOGUE = {
  platform: 'big@1.0.0',
  components: [
    {
      name: 'big',
      instances: [],
      telecommands: [],
      measures: Array.from({ length: MEASURES }, (_, n) => ({
        name: `m${n}`,
        type: 'f64',
        soft: [0, 90],
        derived: false,
      })),
    },
  ],
};

/**
 * Run before the page: `feed(measures, perSecond, ms)` hands samples of the first measures to the socket of the values,
 * at that pace, and gives how many these were.
 */
export const FEED = `(() => {
  const Real = WebSocket;
  let values;
  window.WebSocket = class extends Real {
    constructor(address) {
      super(address);
      if (address.includes('values/watch')) values = this;
    }
  };
  const text = (n, measures) => {
    const time = new Date().toISOString();
    const sample = { value: (n * 7) % 101, time, ground_time: time, link: 'uhf', delivery: 'realtime' };
    return JSON.stringify({ component: 'big', measure: 'm' + (n % measures), sample });
  };
  window.feed = (measures, perSecond, ms) => new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    const began = performance.now();
    let sent = 0;
    const due = () => ((performance.now() - began) / 1000) * perSecond;
    port1.onmessage = () => {
      if (performance.now() - began >= ms) return done(sent);
      if (sent >= due()) return setTimeout(() => port2.postMessage(0), 1);
      (window.taken ?? ((data) => values.onmessage({ data })))(text(sent, measures));
      sent += 1;
      port2.postMessage(0);
    };
    port2.postMessage(0);
  });
})()`;

const CALMLY = `let isDue = false;
const calmly = (draw) => {
  if (isDue) return;
  isDue = true;
  setTimeout(() => requestAnimationFrame(() => { isDue = false; draw(); }), ${DRAWN_MS});
};`;

/** A table of rows with their last values; everything else is kept and not shown. */
export const BARE_TABLE = `<!doctype html><title>bare table</title><table><tbody></tbody></table><script>
const body = document.querySelector('tbody');
const rows = Array.from({ length: ${ROWS} }, (_, n) => {
  const row = body.insertRow();
  row.insertCell().textContent = 'm' + n;
  return [row.insertCell(), row.insertCell()];
});
const last = new Map();
${CALMLY}
const draw = () => rows.forEach(([value, age], n) => {
  const sample = last.get('m' + n);
  if (sample === undefined) return;
  value.textContent = sample.value;
  age.textContent = sample.ground_time;
});
window.taken = (data) => {
  const { measure, sample } = JSON.parse(data);
  last.set(measure, sample);
  calmly(draw);
};
</script>`;

export const PLOTTED = 8;

/** A plot of some measures, with the samples of ten minutes; `uPlot` is put into the document beside it. */
export const BARE_PLOT = `<!doctype html><title>bare uPlot</title><div></div>`;
export const BARE_PLOT_SCRIPT = `
const data = [[], ...Array.from({ length: ${PLOTTED} }, () => [])];
const series = [{}, ...data.slice(1).map((_, n) => ({ label: 'm' + n, stroke: 'black' }))];
const plot = new uPlot({ width: 1370, height: 320, series }, data, document.querySelector('div'));
${CALMLY}
window.taken = (data_) => {
  const { measure, sample } = JSON.parse(data_);
  const at = Date.parse(sample.ground_time) / 1000;
  data[0].push(at);
  for (let n = 1; n <= ${PLOTTED}; n += 1) data[n].push(measure === 'm' + (n - 1) ? sample.value : null);
  calmly(() => plot.setData(data));
};`;
