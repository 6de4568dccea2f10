"""Zhiying and Qishao contact law: Lankarani and Nikravesh's law corrected for large energy loss."""

from __future__ import annotations

import jax.numpy as jnp

from dovetail.core import kind
from dovetail.mechanics.contact.normal_law import DissipativeLaw, ValuesLike


@kind("zhiying-qishao")
class ZhiyingQishao(DissipativeLaw):
    r"""Zhiying and Qishao law, :math:`\Lambda = \tfrac34(1 - c_r^2)\,e^{2(1-c_r)}`.

    [Zhiying & Qishao 2006; Bondoky 2020, eq. 4.25].
    """

    def damping_factor(self, restitution: ValuesLike) -> ValuesLike:
        return 0.75 * (1 - restitution**2) * jnp.exp(2 * (1 - restitution))
