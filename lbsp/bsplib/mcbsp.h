#ifndef LBSP_MCBSP_H
#define LBSP_MCBSP_H

/* The MulticoreBSP face of <bsp.h>, under the name of its header. MCBSP_COMPATIBILITY_MODE means there what
 * it means in MulticoreBSP: the types of 1998. */
#if defined(LBSP_BSP_H) && !defined(LBSP_MULTICOREBSP) && !defined(MCBSP_COMPATIBILITY_MODE)
#error "<bsp.h> came before <mcbsp.h>, with the types of 1998: include <mcbsp.h> first, or define LBSP_MULTICOREBSP"
#endif
#if !defined(MCBSP_COMPATIBILITY_MODE) && !defined(LBSP_MULTICOREBSP)
#define LBSP_MULTICOREBSP
#endif
#include "bsp.h"

#endif
