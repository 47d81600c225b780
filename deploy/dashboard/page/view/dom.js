(function (odograph) {
    'use strict';

    const svgSpace = 'http://www.w3.org/2000/svg';

    /**
     * An element. Text is always text: nothing that a vehicle says is read as HTML.
     * @param {string} tag
     * @param {Object<string, *>} attributes `class`, `onclick`, …; null and false leave one out
     * @param {...(Node | string | number | null)} children
     */
    function element(tag, attributes = {}, ...children) {
        const made = document.createElement(tag);
        for (const [name, value] of Object.entries(attributes)) {
            if (value === null || value === false || value === undefined) continue;
            if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
            else made.setAttribute(name, value === true ? '' : String(value));
        }
        made.append(...children.flat().filter((child) => child !== null && child !== undefined));
        return made;
    }

    /** @param {string} id of a symbol of the page @param {string} className */
    function mark(id, className = 'mark') {
        const svg = document.createElementNS(svgSpace, 'svg');
        svg.setAttribute('class', className);
        svg.setAttribute('viewBox', '0 0 20 20');
        svg.setAttribute('aria-hidden', 'true');
        const use = document.createElementNS(svgSpace, 'use');
        use.setAttribute('href', `#${id}`);
        svg.append(use);
        return svg;
    }

    /** Says a text where it is not said yet: what does not change costs no layout. */
    function say(node, text) {
        if (node.textContent !== text) node.textContent = text;
    }

    /** Sets an attribute where it is another one; null takes it away. */
    function set(node, name, value) {
        if (value === null || value === false) node.removeAttribute(name);
        else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, String(value));
    }

    /** @param {string} id @returns {HTMLElement} */
    const byID = (id) => document.getElementById(id);

    /** Gives the user a file. @param {string} name @param {string} type of its content @param {string} text */
    function save(name, type, text) {
        // Without a byte order mark Excel reads a table in the code page of the machine.
        const content = type === 'text/csv' ? `\ufeff${text}` : text;
        const address = URL.createObjectURL(new Blob([content], { type }));
        element('a', { href: address, download: name }).click();
        // The browser reads the address after the click.
        setTimeout(() => URL.revokeObjectURL(address), 10000);
    }

    odograph.dom = { element, mark, say, set, byID, save };
})(globalThis.odograph ??= {});
