/** The styles of the contract coverage page, in light and dark mode. */
export const contractPageStyle = `
:root { color-scheme: light dark; --line: #d9dee5; --soft: #5b6673; --seen: #1a7f37; --seen-back: #e9f7ee; --missing: #c31d2a;
  --missing-back: #fdecee; --card: #f6f8fa; }
@media (prefers-color-scheme: dark) { :root { --line: #30363d; --soft: #9aa5b1; --seen: #4cc26b; --seen-back: #12261a;
  --missing: #ff7b83; --missing-back: #3a1519; --card: #161b22; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 72rem; margin: 0 auto; padding: 2rem 1.5rem 4rem; }
h1 { font-size: 1.7rem; margin: 0 0 .5rem; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .75rem; }
h2 code { color: var(--soft); font-weight: 400; margin-left: .5rem; }
h2 small { font-weight: 400; font-size: .8rem; border: 1px solid var(--line); border-radius: 1rem; padding: .1rem .6rem;
  margin-left: .5rem; }
code { font-family: ui-monospace, monospace; font-size: .92em; }
dl { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0 0; }
dl div { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .6rem 1.1rem; }
dt { color: var(--soft); font-size: .85rem; }
dd { margin: 0; font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
thead th { vertical-align: bottom; text-align: left; font-weight: 500; font-size: .85rem; color: var(--soft); padding: .3rem .5rem; }
thead th span { display: block; writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; }
tbody th, tbody td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: center; min-width: 1.1rem; }
td.times { text-align: right; }
.seen { color: var(--seen); background: var(--seen-back); }
.missing { color: var(--missing); background: var(--missing-back); font-weight: 600; }
ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .4rem; }
li { border: 1px solid var(--line); border-radius: .4rem; padding: .15rem .6rem; font-family: ui-monospace, monospace; font-size: .85rem; }
li span { color: var(--soft); }
`;
