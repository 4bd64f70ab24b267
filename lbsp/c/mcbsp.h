#ifndef LBSP_MCBSP_H
#define LBSP_MCBSP_H

/* The MulticoreBSP face of <bsp.h>, under the name of its header. MCBSP_COMPATIBILITY_MODE means there what
 * it means in MulticoreBSP: the types of 1998. */
#if !defined(MCBSP_COMPATIBILITY_MODE) && !defined(LBSP_MULTICOREBSP)
#define LBSP_MULTICOREBSP
#endif
#include "bsp.h"

#endif
