for (const table of document.querySelectorAll('table.sort')) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  heads.forEach((head, column) => {
    const isNumber = head.classList.contains('n');
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    const value = ({ cells }) => {
      const cell = cells[column], text = cell.dataset.v ?? cell.textContent;
      return isNumber ? Number(text.replace(/[^\d.]/g, '')) : text.trim().toLowerCase();
    };
    button.addEventListener('click', () => {
      const sorted = head.getAttribute('aria-sort');
      const falls = sorted ? sorted === 'ascending' : isNumber;
      heads.forEach(other => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', falls ? 'descending' : 'ascending');
      const rows = [...body.rows].map(row => [value(row), row]);
      rows.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0) * (falls ? -1 : 1));
      body.append(...rows.map(([, row]) => row));
    });
  });
}
addEventListener('beforeprint', () => document.querySelectorAll('details').forEach(part => { part.open = true; }));
