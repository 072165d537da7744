'use strict';
// Tables: a heading sorts by its column.
for (const table of document.querySelectorAll('table:not(.source)')) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.querySelector('button').addEventListener('click', () => {
    const down = head.getAttribute('aria-sort') !== 'descending';
    heads.forEach(each => each.setAttribute('aria-sort', 'none'));
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const body = table.tBodies[0];
    const isNumber = head.classList.contains('n');
    const key = row => isNumber ? +row.cells[column].dataset.v : row.cells[column].textContent;
    const rows = [...body.rows].sort((a, b) => key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
    if (down) rows.reverse();
    body.append(...rows);
  }));
}

function timeText(ns) {
  for (const [size, unit] of [[1e9, 's'], [1e6, 'ms'], [1e3, 'us']])
    if (Math.abs(ns) >= size) return (ns / size).toPrecision(4) + ' ' + unit;
  return Math.round(ns) + ' ns';
}
function byteText(bytes) {
  for (const [size, unit] of [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']])
    if (bytes >= size) return (bytes / size).toPrecision(4) + ' ' + unit;
  return bytes + ' bytes';
}

// What the colour scheme says; read again when it changes.
const dark = matchMedia('(prefers-color-scheme: dark)');
function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue(name); }
function hue(name) {
  let sum = 7;
  for (const each of name) sum = (sum * 31 + each.codePointAt(0)) % 360;
  return `hsl(${sum} 55% ${dark.matches ? 42 : 72}%)`;
}
function prepared(canvas, height) {
  const ratio = devicePixelRatio || 1, width = canvas.clientWidth;
  canvas.style.height = height + 'px';
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const draw = canvas.getContext('2d');
  draw.scale(ratio, ratio);
  draw.font = '12px system-ui, sans-serif';
  draw.textBaseline = 'middle';
  return [draw, width];
}
function fitted(draw, text, width) {
  if (draw.measureText(text).width <= width) return text;
  let keep = Math.floor(text.length * width / draw.measureText(text).width) - 1;
  return keep > 2 ? text.slice(0, keep) + '\u2026' : '';
}

// The timeline: a row for each track, slices as [begin, duration, name].
function timeline(data, canvas, picked, find) {
  const kRow = 22, kAxis = 24;
  let from = 0, until = data.end || 1, chosen = null;
  const names = () => canvas.clientWidth < 600 ? 90 : 240;
  const all = data.tracks.flatMap((track, row) => track.slices.map(slice => ({ slice, row })));
  all.sort((a, b) => a.slice[0] - b.slice[0] || a.row - b.row);
  const height = () => kAxis + kRow * data.tracks.length;
  const x = (time, width) => names() + (time - from) / (until - from) * (width - names());
  function paint() {
    const [draw, width] = prepared(canvas, height());
    const left = names(), word = find.value.toLowerCase();
    draw.strokeStyle = draw.fillStyle = colour('--soft');
    const ticks = Math.max(2, Math.floor((width - left) / 110));
    for (let i = 0; i < ticks; ++i) {
      const time = from + (until - from) * i / ticks, at = x(time, width);
      draw.globalAlpha = 0.25;
      draw.fillRect(at, 0, 1, height());
      draw.globalAlpha = 1;
      draw.fillText(timeText(time), at + 3, kAxis / 2);
    }
    data.tracks.forEach((track, row) => {
      const top = kAxis + row * kRow;
      draw.fillStyle = colour('--line');
      draw.fillRect(0, top, width, 1);
      let last = -1, lastText = -1;
      for (const slice of track.slices) {
        const [begin, duration, number] = slice;
        if (begin + duration < from || begin > until) continue;
        const a = Math.max(left, x(begin, width)), b = Math.min(width, x(begin + duration, width));
        const isChosen = chosen && chosen.slice === slice;
        if (b - last < 0.5 && !isChosen) continue;
        last = b;
        const name = data.names[number];
        draw.globalAlpha = word && !name.toLowerCase().includes(word) ? 0.2 : 1;
        draw.fillStyle = hue(name);
        draw.fillRect(a, top + 2, Math.max(1, b - a), kRow - 4);
        if (isChosen) {
          draw.strokeStyle = colour('--text');
          draw.lineWidth = 2;
          draw.strokeRect(a, top + 2, Math.max(2, b - a), kRow - 4);
        }
        if (b - a > 30 && a >= lastText) {
          draw.fillStyle = colour('--text');
          draw.fillText(fitted(draw, name, b - a - 8), a + 4, top + kRow / 2);
          lastText = b;
        }
      }
      draw.globalAlpha = 1;
      draw.fillStyle = colour('--panel');
      draw.fillRect(0, top + 1, left, kRow - 1);
      draw.fillStyle = colour('--text');
      draw.fillText(fitted(draw, track.name, left - 8), 4, top + kRow / 2);
    });
  }
  function show(which) {
    chosen = which;
    if (!which) return;
    const [begin, duration, number] = which.slice;
    picked.textContent = `${data.names[number]}: ${timeText(duration)} from ${timeText(begin)}, ${data.tracks[which.row].name}`;
    if (begin > until || begin + duration < from) {
      const width = until - from;
      from = Math.max(0, begin - width / 2);
      until = from + width;
    }
    paint();
  }
  function zoom(factor, around = (from + until) / 2) {
    const width = Math.min(data.end || 1, Math.max(10, (until - from) * factor));
    from = Math.max(0, Math.min((data.end || 1) - width, around - (around - from) / (until - from) * width));
    until = from + width;
    paint();
  }
  function move(share) {
    const step = (until - from) * share;
    const by = Math.max(-from, Math.min((data.end || 1) - until, step));
    from += by;
    until += by;
    paint();
  }
  function step(direction) {
    if (!all.length) return;
    const word = find.value.toLowerCase();
    let i = chosen ? all.findIndex(each => each.slice === chosen.slice) : direction > 0 ? -1 : all.length;
    for (i += direction; i >= 0 && i < all.length; i += direction)
      if (!word || data.names[all[i].slice[2]].toLowerCase().includes(word)) return show(all[i]);
  }
  const reset = () => { from = 0; until = data.end || 1; paint(); };
  const timeAt = event => from + (event.offsetX - names()) / (canvas.clientWidth - names()) * (until - from);
  const keys = { ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2), '+': () => zoom(0.5), '=': () => zoom(0.5),
    '-': () => zoom(2), 0: reset, n: () => step(1), p: () => step(-1) };
  canvas.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  canvas.addEventListener('wheel', event => {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    zoom(event.deltaY > 0 || event.deltaX > 0 ? 1.25 : 0.8, timeAt(event));
  }, { passive: false });
  let drag = null;
  canvas.addEventListener('pointerdown', event => { drag = [event.offsetX, from, until, false]; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener('pointermove', event => {
    if (!drag) return;
    const by = (drag[0] - event.offsetX) / (canvas.clientWidth - names()) * (drag[2] - drag[1]);
    if (Math.abs(drag[0] - event.offsetX) > 3) drag[3] = true;
    from = drag[1];
    until = drag[2];
    move(by / (until - from));
  });
  canvas.addEventListener('pointerup', event => {
    const moved = drag && drag[3];
    drag = null;
    if (moved) return;
    const row = Math.floor((event.offsetY - kAxis) / kRow), time = timeAt(event);
    const near = (until - from) / (canvas.clientWidth - names()) * 3;
    const hits = all.filter(each => each.row === row && each.slice[0] - near <= time && time <= each.slice[0] + each.slice[1] + near);
    show(hits.sort((a, b) => a.slice[1] - b.slice[1])[0] || null);
    paint();
  });
  for (const button of canvas.parentElement.querySelectorAll('button[data-key]'))
    button.addEventListener('click', () => keys[button.dataset.key]());
  find.addEventListener('input', paint);
  addEventListener('resize', paint);
  dark.addEventListener('change', paint);
  paint();
}

// Memory over time: [time, bytes], each until the next.
function curve(data, canvas) {
  const most = Math.max(1, ...data.points.map(point => point[1]));
  function paint() {
    const kHeight = 140, [draw, width] = prepared(canvas, kHeight);
    const x = time => time / (data.end || 1) * width, y = bytes => kHeight - 4 - bytes / most * (kHeight - 28);
    draw.beginPath();
    draw.moveTo(0, y(0));
    let last = 0;
    for (const [time, bytes] of data.points) {
      draw.lineTo(x(time), y(last));
      draw.lineTo(x(time), y(bytes));
      last = bytes;
    }
    draw.lineTo(width, y(last));
    draw.lineTo(width, y(0));
    draw.fillStyle = colour('--bar');
    draw.fill();
    draw.strokeStyle = colour('--link');
    draw.stroke();
    draw.fillStyle = colour('--text');
    draw.fillText('at most ' + byteText(most), 6, 12);
  }
  addEventListener('resize', paint);
  dark.addEventListener('change', paint);
  paint();
}

// A flame graph: nested frames, one of which may fill the width.
function flame(place) {
  const picked = place.querySelector('.picked');
  const frameOf = node => node && node.firstElementChild;
  function enlarge(node) {
    for (const each of place.querySelectorAll('.node')) each.classList.remove('wide', 'gone');
    for (let each = node; each !== place; each = each.parentElement) {
      if (!each.classList.contains('node')) continue;
      each.classList.add('wide');
      for (const other of each.parentElement.children) if (other !== each && other.classList.contains('node')) other.classList.add('gone');
    }
  }
  const besides = (node, step) => {
    do node = node && node[step]; while (node && !node.classList.contains('node'));
    return node;
  };
  const moves = {
    ArrowUp: node => node.parentElement.closest('.flame .node'),
    ArrowDown: node => node.querySelector('.inner > .node:not(.gone)'),
    ArrowLeft: node => besides(node, 'previousElementSibling'),
    ArrowRight: node => besides(node, 'nextElementSibling') };
  for (const frame of place.querySelectorAll('.frame')) {
    frame.addEventListener('click', () => enlarge(frame.parentElement));
    frame.addEventListener('focus', () => { picked.textContent = frame.title; });
    frame.addEventListener('keydown', event => {
      if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const next = frameOf(moves[event.key](frame.parentElement));
      if (next) next.focus();
    });
  }
}
for (const place of document.querySelectorAll('.flame')) flame(place);

for (const script of document.querySelectorAll('script[type="application/json"]')) {
  const data = JSON.parse(script.textContent), place = script.parentElement;
  if (data.tracks) timeline(data, place.querySelector('canvas'), place.querySelector('.picked'), place.querySelector('input'));
  if (data.points) curve(data, place.querySelector('canvas'));
}
